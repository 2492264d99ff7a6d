import { SiteFrame } from './site-frame.tsx'

/** The start page, in its first plain form. */
export function Home() {
  return (
    <SiteFrame>
      <h1>Trade with confidence</h1>
    </SiteFrame>
  )
}
