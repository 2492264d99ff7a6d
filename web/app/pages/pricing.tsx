import { Pricing, pricingHead } from '#web/site/index.ts'

export const handle = { still: true }
export const meta = () => pricingHead
export default Pricing
