/** Moved to `ops/commands/verify.ts`. This file goes with the next release. */
import '#ops/commands/verify.ts'
