export { Home } from './home.tsx'
export { SiteFrame } from './site-frame.tsx'
