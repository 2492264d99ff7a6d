export {
  type Call,
  FileReply,
  type Handler,
  type Handlers,
  JsonText,
  type RequestInfo,
  type UncheckedFile,
  type Who,
} from './handler.ts'
export { createHttp, type Http } from './server.ts'
