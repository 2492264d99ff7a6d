import { LivePayouts, livePayoutsHead } from '#web/site/index.ts'

export const handle = { still: true }
export const meta = () => livePayoutsHead
export default LivePayouts
