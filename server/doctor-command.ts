/** Moved to `ops/commands/doctor-command.ts`. This file goes with the next release. */
import '#ops/commands/doctor-command.ts'
