// Turns every <textarea data-editor> into a code editor. The textarea stays in the page, hidden and in step, so the
// form posts what it always posts; and where this script does not run, the textarea is the editor.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python"; // not python(): it brings completion along
import {
  bracketMatching, HighlightStyle, indentOnInput, indentUnit, LanguageSupport, syntaxHighlighting,
} from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import {
  drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { keepDrafts } from "./drafts.js";

// CodeMirror adds a style sheet of its own; the page's security policy lets in only one with this nonce.
const NONCE = document.querySelector("script[data-editor-script]")?.nonce ?? "";

const colours = HighlightStyle.define([
  { tag: [tags.comment, tags.meta], color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.keyword, tags.operatorKeyword, tags.self], color: "var(--code-keyword)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  {
    tag: [tags.definition(tags.function(tags.variableName)), tags.definition(tags.className)],
    color: "var(--code-name)",
  },
]);

const look = EditorView.theme({
  "&": {
    color: "var(--ink)",
    backgroundColor: "var(--paper)",
    border: "1px solid var(--edge)",
    borderRadius: "var(--radius)",
    fontSize: "0.88rem",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "0" },
  ".cm-scroller": {
    fontFamily: "var(--mono)",
    fontVariantLigatures: "none",
    lineHeight: "1.5",
    minHeight: "24rem",
    maxHeight: "70dvh",
    overflow: "auto",
    borderRadius: "var(--radius)",
  },
  ".cm-content": { caretColor: "var(--accent)", paddingBlock: "var(--space-2)" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  ".cm-gutters": {
    backgroundColor: "var(--surface)",
    color: "var(--muted)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--code-line)" },
  ".cm-activeLineGutter": { color: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--code-selection)",
  },
  "&.cm-focused .cm-matchingBracket": {
    backgroundColor: "transparent",
    outline: "1px solid var(--edge)",
  },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "transparent", outline: "1px solid var(--bad)" },
});

function enhance(textarea) {
  const frame = document.createElement("div");
  frame.className = "editor";
  const bar = document.createElement("div");
  bar.className = "editor-bar";
  const hint = document.createElement("span");
  hint.id = `${textarea.id || "editor"}-hint`;
  hint.textContent = "Tab indents. Esc, then Tab leaves the editor. Ctrl or ⌘ with Enter submits.";
  bar.append(hint);

  const label = textarea.labels?.[0];
  const describedBy = [textarea.getAttribute("aria-describedby"), hint.id].filter(Boolean).join(" ");
  const content = { "aria-describedby": describedBy, spellcheck: "false", autocapitalize: "off", tabindex: "0" };
  if (textarea.getAttribute("aria-invalid")) content["aria-invalid"] = textarea.getAttribute("aria-invalid");
  if (label) {
    label.id ||= `${textarea.id}-label`;
    content["aria-labelledby"] = label.id;
  } else {
    content["aria-label"] = textarea.getAttribute("aria-label") || "Code";
  }

  const submit = () => {
    const button = textarea.form?.querySelector("button[type=submit], button:not([type])");
    if (!button || button.disabled) return false;
    textarea.form.requestSubmit(button);
    return true;
  };

  const view = new EditorView({
    doc: textarea.value,
    extensions: [
      EditorView.cspNonce.of(NONCE),
      lineNumbers(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      history(),
      drawSelection(),
      indentUnit.of("    "),
      EditorState.tabSize.of(4),
      indentOnInput(),
      bracketMatching(),
      new LanguageSupport(pythonLanguage),
      syntaxHighlighting(colours),
      look,
      EditorState.readOnly.of(textarea.readOnly),
      EditorView.contentAttributes.of(content),
      keymap.of([
        { key: "Mod-Enter", run: submit },
        ...defaultKeymap.filter((binding) => binding.key !== "Mod-Enter"),
        ...historyKeymap,
        indentWithTab,
      ]),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        textarea.value = update.state.doc.toString();
        textarea.dispatchEvent(new Event("input", { bubbles: true }));
      }),
    ],
  });

  // An empty required textarea that cannot be seen would stop the form without a word: the server says it instead.
  textarea.required = false;
  textarea.hidden = true;
  textarea.after(frame);
  frame.append(view.dom, bar);
  label?.addEventListener("click", () => view.focus());

  const replace = (text) => {
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }); // can be undone
    view.focus();
  };
  if (textarea.dataset.draftUrl) keepDrafts(textarea, frame, bar, replace);
}

for (const textarea of document.querySelectorAll("textarea[data-editor]")) enhance(textarea);
