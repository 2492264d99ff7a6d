export { type News, type Notices, openNotices, type PushedNotice, pathOfTrade } from './notices.ts'
export { noticesRoutes } from './routes.ts'
export { usersWanting } from './wanting.ts'
