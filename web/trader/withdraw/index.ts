export { Requirements } from './requirements.tsx'
export { useRequirementsAnswered } from './use-requirements.ts'
export { Withdraw } from './withdraw.tsx'
