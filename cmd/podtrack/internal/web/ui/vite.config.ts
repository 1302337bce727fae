import { defineConfig } from "vite";

// The build is committed: the same sources give the same bytes, so nothing in it
// may depend on the machine or the time. Scripts and styles are files of their
// own, since the server's Content-Security-Policy allows nothing inline. Files name each
// other by relative paths, since the page may be served below one that nobody can know.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    assetsDir: "assets",
    assetsInlineLimit: 0,
    sourcemap: false,
    target: "es2022",
    modulePreload: false, // with one style sheet, the views have nothing to load before them
    cssCodeSplit: false,
  },
  server: { proxy: { "/api": "http://127.0.0.1:8417" } }, // podtrack serve --addr 127.0.0.1:8417
});
