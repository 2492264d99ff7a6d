export {
  type Call,
  FileReply,
  type Handlers,
  JsonText,
  type RequestInfo,
  type UncheckedFile,
  type Who,
  type WhoOperates,
} from './handler.ts'
export { accountRequired } from './mount.ts'
export { serveOpenApi } from './openapi.ts'
export { servePages } from './pages.ts'
export { createHttp, type Responded } from './server.ts'
