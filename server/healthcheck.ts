/** Moved to `ops/commands/healthcheck.ts`. This file goes with the next release. */
import '#ops/commands/healthcheck.ts'
