export { NoticesBell } from './notices-bell.tsx'
export { useUnread } from './use-notices.ts'
