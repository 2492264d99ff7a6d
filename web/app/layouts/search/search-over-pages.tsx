import { Search } from '#web/trader/search/index.ts'
import { PAGES } from './pages.ts'

export default function SearchOverPages() {
  return <Search pages={PAGES} />
}
