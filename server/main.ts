/** Moved to `server/app/main.ts`. This file goes with the next release. */
import '#server/app/main.ts'
