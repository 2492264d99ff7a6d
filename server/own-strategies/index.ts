export { requireRule } from './checks.ts'
export { withdrawByOperator } from './publish.ts'
export { followableStrategies, publishedStrategies } from './published.ts'
export {
  lockUnchanged,
  type RecordedStrategy,
  type RecordedVersion,
  recordedStrategies,
  recordedVersion,
  recordedVersions,
} from './recorded.ts'
export { ownStrategiesRoutes } from './routes.ts'
export { archiveAll, createOutsideStrategy } from './save.ts'
export { sentenceOf } from './store.ts'
export { found as strategyOwnedBy, type OwnStrategiesDeps, type StopFollowers } from './versions.ts'
