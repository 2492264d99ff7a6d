import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { precompress } from './scripts/web/precompress.ts'

const OUT = fileURLToPath(new URL('build/desk', import.meta.url))

/** The operators' desk: a separate bundle below `/desk/`, so that no trader ever loads any of it. */
export default defineConfig({
  root: fileURLToPath(new URL('web/desk', import.meta.url)),
  base: '/desk/',
  plugins: [{ name: 'precompress', closeBundle: () => precompress(OUT) }],
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
    // Data URIs would ask for exceptions in the content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      treeshake: {
        moduleSideEffects: [
          { test: /\.css(\?|$)/, sideEffects: true },
          { test: /\/(web\/(ui|api)|contract|kernel)\/.*\.tsx?$/, sideEffects: false },
        ],
      },
      output: {
        // One style sheet that begins with `tokens.css`, which sets the order of the cascade layers. In a file of their own,
        // the parts could be loaded before it, and the base would override them.
        codeSplitting: { groups: [{ name: 'ui', test: /web\/ui\// }] },
      },
    },
  },
  server: { port: 5174, proxy: { '/api': 'http://localhost:3000' } },
})
