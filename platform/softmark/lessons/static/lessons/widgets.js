// Every kind of widget that a lesson may hold.
import "./widgets/numbers.js";
import "./widgets/arcs.js";
import "./widgets/cost.js";
