export { type AccessTokens, type Call, CallError, createClient, type Input, messageOf, newKey } from './client.ts'
export { mayPass, type Problem, problemOf, RETRIES, retryDelayMs } from './problem.ts'
export { queriesOf } from './queries.ts'
export { type ChatListener, createStream, type Socket, type StreamStatus } from './stream.ts'
