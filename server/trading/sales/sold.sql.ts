/** SQL: whether the trade with an id was sold before its end. Null without a trade. */
export const isSoldSql = (tradeId: string) => `(select t.status = 'Sold' from trades t where t.id = ${tradeId})`
