// How the page is built. In: src, index.html. Out: dist, the same bytes from the same sources, which the referee serves.
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    // The policy of the page allows scripts and styles from its own files only: nothing may be put into the markup.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    sourcemap: false,
    // A screen is called by its folder, so that it is seen what is what.
    rollupOptions: { output: { assetFileNames: ({ names: [name = ""] }: { names: readonly string[] }) => `assets/${name.endsWith(".svg") ? "icons/" : ""}[name]-[hash][extname]`, chunkFileNames: ({ facadeModuleId }: { facadeModuleId: string | null }) => `assets/${/\/src\/(\w+)\/screen/.exec(facadeModuleId ?? "")?.[1] ?? "[name]"}-[hash].js` } },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  // The client package is linked: what it shares with the page must be there once.
  resolve: { dedupe: ["preact", "@preact/signals", "@bufbuild/protobuf"] },
} as never);
