export { archiveDay } from './archive-day.ts'
export { checkAccounts, checkDay, dayLines, listDays } from './check.ts'
export { expireDay } from './expire-day.ts'
export { planArchive } from './plan.ts'
