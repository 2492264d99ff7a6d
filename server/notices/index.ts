export { type News, type Notices, type NoticesDeps, openNotices, type Written } from './notices.ts'
export { noticesRoutes } from './routes.ts'
