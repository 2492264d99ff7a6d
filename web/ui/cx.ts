/** Class names in a row, without those that are off. */
export const cx = (...names: (string | false | undefined)[]): string => names.filter(Boolean).join(' ')
