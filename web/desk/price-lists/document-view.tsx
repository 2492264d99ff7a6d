import type { PriceListDocument } from '#contract/trading/offers.ts'
import styles from './price-lists.module.css'
import { ruleWords } from './rule-words.ts'

/** Price lists and their rules, as text. */
export function DocumentView({ document: { lists, rules } }: { document: PriceListDocument }) {
  return (
    <div className={styles.document}>
      <ol className={styles.rows}>
        {lists.map(({ name, pairs }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a list is named by its place.
          <li key={at}>
            <strong>
              {at + 1}. {name}
            </strong>
            <span>{pairs.join('   ')}</span>
          </li>
        ))}
      </ol>
      <ol className={styles.rows}>
        {rules.map((rule, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of rules is what they mean.
          <li key={at}>
            <span>{ruleWords(rule)}</span>
            <span>{lists[rule.list - 1]?.name}</span>
          </li>
        ))}
        <li>
          <span>{rules.length === 0 ? 'All symbols · all durations · always' : 'Everything else'}</span>
          <span>{lists[0]?.name}</span>
        </li>
      </ol>
    </div>
  )
}
