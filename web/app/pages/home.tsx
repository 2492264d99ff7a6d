import { Home, homeHead } from '#web/site/index.ts'

export const handle = { still: true }
export const meta = () => homeHead
export default Home
