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
} from './account/auth-redirect.ts'
export { keeper, useKept } from './account/keeper.ts'
export { answerLive, goLive, isAnswered, noteAnswer, useLiveQuestion } from './account/live-question.ts'
export { startPush, turnPushOff, turnPushOn, usePush } from './account/push.ts'
export { choose, setMode, takeSignIn, tryDemo } from './account/screen-choices.ts'
export { useStepUp } from './account/step-up.ts'
export { browserZone, timeZone, useTimeZone } from './account/time-zone.ts'
export { useScreenChoices } from './account/use-screen-choices.ts'
export { isVisitor } from './account/visitor.ts'
export { call, callForFile, leave, readFile, stream } from './browser.ts'
export { useFrame, useStreamStatus, useUserMessages } from './hooks.ts'
export { leaveNotice, type Notice, takeNotice } from './notice.ts'
export { isOwnAction, noteOwnAction } from './own-actions.ts'
export { livePrice, STALE_AFTER_MS, takeFrame, useLivePrice } from './prices/live-prices.ts'
export { isStopped, type Known, useKnown } from './prices/use-known.ts'
export { queryClient, queryOf } from './requests/query.ts'
export { useDebounced } from './requests/use-debounced.ts'
export { useDetailsId } from './requests/use-details-id.ts'
export { useKey } from './requests/use-key.ts'
export { useMeasuredTimes } from './requests/use-measured-times.ts'
export { usePages } from './requests/use-pages.ts'
export { usePrivateFile } from './requests/use-private-file.ts'
export { useRequest } from './requests/use-request.ts'
export { readUser, startUp } from './start-up.ts'
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
export { takeMoneyMessage, takeRow } from './trades/live-lists.ts'
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
} from './trades/trade-filter.ts'
export { mergeTrades, noteTrade, takeTrade, useTradeStore } from './trades/trades.ts'
export { useListedPairs, useMostPercent, useOffered, useOfferedFor } from './trades/use-offered.ts'
export { hitRateOf, settledCountOf, useTradeResults, withoutSold } from './trades/use-trade-results.ts'
export { NEWEST_TRADES, useReconnected, useTrades } from './trades/use-trades.ts'
export { FEW_TRADES, rateOf, verdictOf } from './trades/win-rate.ts'
