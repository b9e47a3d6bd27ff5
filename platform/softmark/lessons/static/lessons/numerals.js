// Numbers as people type them, read as questions/numerals.py reads them, which has the last word: what this cannot
// tell is let through.
export const HOW = "Type it like 0.25, -1.5, 3/2 or 1e3.";

const MOST = 64; // characters
const DECIMAL = /^([+-]? ?)([0-9]{1,3}(?: [0-9]{3})+|[0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$/;

// {value} of a number, {problem} in words of what is none, and {} of what only the site can read.
export function readNumber(text) {
  const plain = text
    .replace(/[\u2212\u2013\u2010\u2011\ufe63]/g, "-")
    .replace(/[\u200b\u2060\ufeff\u200e]/g, "")
    .trim()
    .replace(/\s+/g, " ");
  if (!plain) return { problem: `Nothing is typed yet. ${HOW}` };
  if (text.length > MOST) return { problem: `That is too long for a number. ${HOW}` };
  // eslint-disable-next-line no-control-regex
  if (/[^\x20-\x7e]/.test(plain)) return {};
  if (plain.includes("%")) return { problem: "Type a share without a percent sign, like 0.25 for a quarter." };
  if (plain.includes(",")) return { problem: aboutCommas(plain) };
  const parts = plain.split("/");
  if (parts.length > 2) return { problem: `It is divided twice: type one fraction, like 3/2.` };
  const numbers = parts.map((part) => decimal(part.trim()));
  if (numbers.includes(null)) return { problem: `“${plain.slice(0, 40)}” is not a number. ${HOW}` };
  if (parts.length === 2 && numbers[1] === 0) return { problem: `It divides by 0, which gives no number. ${HOW}` };
  const value = parts.length === 2 ? numbers[0] / numbers[1] : numbers[0];
  return Number.isFinite(value) ? { value } : {};
}

function decimal(text) {
  const found = DECIMAL.exec(text);
  if (!found || !(found[2] || found[3])) return null;
  return Number(text.replaceAll(" ", ""));
}

function aboutCommas(plain) {
  if (/^[+-]?[0-9]{1,3},[0-9]{3}$/.test(plain)) {
    const [whole, point] = [plain.replace(",", ""), plain.replace(",", ".")];
    return `“${plain}” can be read in two ways: type ${whole}, or ${point} with a decimal point.`;
  }
  return "Type thousands without commas, and decimals with a point, like 1234.5.";
}

// How a number was read, where that is not plain to see; else nothing.
export function echo(text) {
  const { value } = readNumber(text);
  if (value === undefined || /^[+-]?[0-9]+(\.[0-9]+)?$/.test(text.trim())) return "";
  const shown = Number(value.toPrecision(6));
  const about = shown === value ? "" : "about ";
  const plain = Math.abs(shown) >= 1e-4 && Math.abs(shown) < 1e15 ? shown.toLocaleString("en", { maximumFractionDigits: 10, useGrouping: false }) : String(shown);
  return `Read as ${about}${plain.replace("-", "\u2212")}.`;
}

const LIST = /^\[(?:[^[\]]*|\s*(?:\[[^[\]]*\](?:[ \t\n\r]*,)?[ \t\n\r]*)*)\]$/; // of numbers, or of such lists

// The texts of numbers that were pasted as one, row by row, parted as questions/pasted.py parts them: lists in brackets,
// or rows out of a spreadsheet. Null: it is just one number, or nothing that is understood here.
export function pastedRows(text) {
  const trimmed = text.trim();
  if (/[[\]]/.test(trimmed)) {
    const rows = LIST.test(trimmed) ? [...trimmed.matchAll(/\[([^[\]]*)\]/g)].map((row) => inBrackets(row[1])) : [];
    return rows.length && rows.every((row) => row.length) ? rows : null;
  }
  const isOne = !/[\t\n\r;]/.test(trimmed) && (!trimmed.includes(" ") || readNumber(trimmed).value !== undefined);
  if (isOne) return null;
  const lines = trimmed.split(/[;\n\r]+/).map((line) => line.trim());
  return lines.filter(Boolean).map((line) => line.replace(/,$/, "").trimEnd().split(/,?[ \t]+/));
}

// No-break spaces part nothing: they stand within a number.
function inBrackets(row) {
  if (!row.trim()) return [];
  if (!row.includes(",")) return row.trim().split(/[ \t\n\r]+/);
  const numbers = row.split(",").map((each) => each.trim());
  return numbers.at(-1) ? numbers : numbers.slice(0, -1);
}
