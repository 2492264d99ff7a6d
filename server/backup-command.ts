/** Moved to `ops/commands/backup-command.ts`. This file goes with the next release. */
import '#ops/commands/backup-command.ts'
