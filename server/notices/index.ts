export { type News, type Notices, type NoticesDeps, openNotices } from './notices.ts'
export { noticesRoutes } from './routes.ts'
