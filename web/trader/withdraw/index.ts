export { Requirements } from './requirements.tsx'
export { Withdraw } from './withdraw.tsx'
