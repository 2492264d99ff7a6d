/** Returns a value that must be there. Throws where it's missing. */
export function must<T>(value: T): NonNullable<T> {
  if (value === undefined || value === null) throw new Error('A value is missing that must be there.')
  return value
}

/** Returns the first of a list that must have one, such as the row of a query that always answers with a row. */
export function first<T>(list: ArrayLike<T>): NonNullable<T> {
  return must(list[0])
}

/** Returns the last of a list that must have one. */
export function last<T>(list: ArrayLike<T>): NonNullable<T> {
  return must(list[list.length - 1])
}
