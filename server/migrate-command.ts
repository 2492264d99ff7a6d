/** Moved to `ops/commands/migrate-command.ts`. This file goes with the next release. */
import '#ops/commands/migrate-command.ts'
