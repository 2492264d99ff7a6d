export { followLevers, type Levers, type LeversTopics } from './follow-levers.ts'
export { pulledLevers, pullLever, releaseLever, requirePulled, stopText, WITHDRAWALS_PAUSED_SQL } from './levers.ts'
