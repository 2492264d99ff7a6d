import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Starting up is over by then, and the first requests have found their code compiled. */
const AFTER_START_MS = 15_000

/**
 * Collects what starting up has left behind, once: about half of the heap. An idle process would keep it for hours,
 * because V8 collects only when more is allocated. Takes some 100 ms.
 */
export function collectStartupGarbage(): void {
  setTimeout(() => {
    // Otherwise a process that is killed leaves nothing compiled for the next start.
    flushCompileCache()
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    collect()
  }, AFTER_START_MS).unref()
}
