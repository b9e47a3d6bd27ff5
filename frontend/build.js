// Bundles the editor and copies the fonts into the site's static files. `make assets` runs it.
import { copyFile, mkdir, rm } from "node:fs/promises";
import { build } from "esbuild";

const OUT = new URL("../platform/softmark/ui/static/ui/built/", import.meta.url);

const FONTS = {
  serif: "@fontsource-variable/source-serif-4/files/source-serif-4-latin-wght-normal",
  "serif-ext": "@fontsource-variable/source-serif-4/files/source-serif-4-latin-ext-wght-normal",
  "serif-italic": "@fontsource-variable/source-serif-4/files/source-serif-4-latin-wght-italic",
  "serif-italic-ext": "@fontsource-variable/source-serif-4/files/source-serif-4-latin-ext-wght-italic",
  sans: "@fontsource-variable/source-sans-3/files/source-sans-3-latin-wght-normal",
  "sans-ext": "@fontsource-variable/source-sans-3/files/source-sans-3-latin-ext-wght-normal",
  "sans-italic": "@fontsource-variable/source-sans-3/files/source-sans-3-latin-wght-italic",
  mono: "@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal",
  "mono-ext": "@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-ext-wght-normal",
  math: "@fontsource/noto-sans-math/files/noto-sans-math-latin-400-normal",
};

await rm(OUT, { recursive: true, force: true });
await mkdir(OUT, { recursive: true });

await build({
  entryPoints: [new URL("editor.js", import.meta.url).pathname],
  outfile: new URL("editor.js", OUT).pathname,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["chrome123", "firefox120", "safari17.5"], // the oldest that know light-dark(), which the style sheets use
  legalComments: "eof",
  logLevel: "warning",
});

for (const [name, file] of Object.entries(FONTS)) {
  await copyFile(new URL(`node_modules/${file}.woff2`, import.meta.url), new URL(`${name}.woff2`, OUT));
}
