import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * What `npm start` runs: the supervisor, with what Node has compiled kept between starts. Otherwise every process loads a
 * compiler of TypeScript and holds it: some 12 MB each. Plain JavaScript, so that this one needs no compiler either. Where
 * the folder can't be written, everything works without. The processes of the server inherit the variable.
 */
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))
enableCompileCache(process.env.NODE_COMPILE_CACHE)
await import('./app/main.ts')
