export { type News, type Notices, openNotices } from './notices.ts'
export { noticesRoutes } from './routes.ts'
