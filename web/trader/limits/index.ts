export { Limits } from './limits.tsx'
export { RealityCheck } from './reality-check.tsx'
