import { ContactUs, contactUsHead } from '#web/site/index.ts'

export const handle = { still: true }
export const meta = () => contactUsHead
export default ContactUs
