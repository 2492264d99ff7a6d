export {
  CallError,
  type Input,
  mayPass,
  messageOf,
  newKey,
  type Problem,
  problemOf,
  retryDelayMs,
  type Trade,
  tradeOf,
} from '#web/client/index.ts'
export {
  authRedirect,
  clearAuthRedirect,
  leaveWithoutReturn,
  returnHereAfterSignIn,
  setAuthRedirect,
} from './auth-redirect.ts'
export { call, leave, readFile, stream } from './browser.ts'
export { useFrame, useStreamStatus, useUserMessages } from './hooks.ts'
export { keeper, useKept } from './keeper.ts'
export { takeMoneyMessage, takeRow } from './live-lists.ts'
export { answerLive, goLive, isAnswered, noteAnswer, useLiveQuestion } from './live-question.ts'
export { leaveNotice, type Notice, takeNotice } from './notice.ts'
export { isOwnAction, noteOwnAction } from './own-actions.ts'
export { startPush, turnPushOff, turnPushOn, usePush } from './push.ts'
export { queryClient, queryOf } from './query.ts'
export { choose, setMode, takeSignIn, tryDemo } from './screen-choices.ts'
export { readUser, startUp } from './start-up.ts'
export { useStepUp } from './step-up.ts'
export {
  closeSuccessAlert,
  leaveScreen,
  openSuccessAlert,
  signOut,
  updateUser,
  useAsksPassword,
  useIsGuest,
  useMode,
  useScreen,
  useSignedIn,
  useStore,
  useUser,
} from './store.ts'
export { noteTapeTime, pressTime, tapeNow, useTapeSecond } from './tape-clock.ts'
export { browserZone, timeZone, useTimeZone } from './time-zone.ts'
export {
  endsOf,
  filterOf,
  historyOf,
  isFiltered,
  matchesFilter,
  NO_FILTER,
  queryOfFilter,
  type TradeFilter,
  tradeQueryOf,
} from './trade-filter.ts'
export { mergeTrades, noteTrade, takeTrade, useTradeStore } from './trades.ts'
export { useDebounced } from './use-debounced.ts'
export { useKey } from './use-key.ts'
export { usePages } from './use-pages.ts'
export { usePrivateFile } from './use-private-file.ts'
export { useRequest } from './use-request.ts'
export { useScreenChoices } from './use-screen-choices.ts'
export { hitRateOf, useTradeResults } from './use-trade-results.ts'
export { NEWEST_TRADES, useReconnected, useTrades } from './use-trades.ts'
export { isVisitor } from './visitor.ts'
