export { type ArchiveDeps, archiveDay, type Outcome, type Step } from './archive-day.ts'
export { checkAccounts, checkDay, dayLines, listDays } from './check.ts'
export { type ArchivePlan, type PlannedDay, planArchive } from './plan.ts'
