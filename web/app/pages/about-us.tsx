import { AboutUs, aboutUsHead } from '#web/site/index.ts'

export const handle = { still: true }
export const meta = () => aboutUsHead
export default AboutUs
