import { Home } from '#web/site/index.ts'

export const handle = { still: true }
export const meta = () => [
  { title: 'Cleartick: trade with confidence' },
  {
    name: 'description',
    content: 'Timed trades on cryptocurrencies and currency pairs, at prices that anyone can check. Free demo account.',
  },
]

export default function HomePage() {
  return <Home />
}
