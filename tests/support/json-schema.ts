type Json = { [key: string]: unknown }

/**
 * Returns the mismatches between a value and a JSON Schema, each with its path; empty if there are none. Supports the
 * keywords that our OpenAPI document uses and reports any other, so that nothing is silently left unchecked.
 */
export function mismatches(schema: Json, value: unknown, at = '$'): string[] {
  const wrong: string[] = []
  const say = (what: string) => wrong.push(`${at}: ${what}`)
  for (const [word, rule] of Object.entries(schema)) {
    switch (word) {
      case 'type':
        if (![rule as string | string[]].flat().some((type) => isType(type, value))) say(`is not ${rule}`)
        break
      case 'const':
        if (value !== rule) say(`is not ${JSON.stringify(rule)}`)
        break
      case 'enum':
        if (!(rule as unknown[]).includes(value)) say(`is none of ${JSON.stringify(rule)}`)
        break
      case 'anyOf':
        if (!(rule as Json[]).some((one) => mismatches(one, value, at).length === 0)) say('matches none')
        break
      case 'oneOf':
        if ((rule as Json[]).filter((one) => mismatches(one, value, at).length === 0).length !== 1)
          say('matches not one')
        break
      case 'required':
        for (const name of rule as string[]) if (!isObject(value) || !(name in value)) say(`has no ${name}`)
        break
      case 'properties':
        for (const [name, one] of Object.entries(rule as Record<string, Json>))
          if (isObject(value) && name in value) wrong.push(...mismatches(one, value[name], `${at}.${name}`))
        break
      case 'additionalProperties': {
        if (!isObject(value)) break
        const known = (schema.properties ?? {}) as Json
        for (const name of Object.keys(value)) {
          if (name in known) continue
          if (rule === false) say(`has an unknown ${name}`)
          else if (isObject(rule)) wrong.push(...mismatches(rule, value[name], `${at}.${name}`))
        }
        break
      }
      case 'propertyNames':
        for (const name of isObject(value) ? Object.keys(value) : []) wrong.push(...mismatches(rule as Json, name, at))
        break
      case 'pattern':
        if (typeof value === 'string' && !new RegExp(rule as string).test(value)) say(`does not match ${rule}`)
        break
      case 'minLength':
        if (typeof value === 'string' && value.length < (rule as number)) say(`is shorter than ${rule}`)
        break
      case 'maxLength':
        if (typeof value === 'string' && value.length > (rule as number)) say(`is longer than ${rule}`)
        break
      case 'minimum':
        if (typeof value === 'number' && value < (rule as number)) say(`is less than ${rule}`)
        break
      case 'maximum':
        if (typeof value === 'number' && value > (rule as number)) say(`is more than ${rule}`)
        break
      case 'minItems':
        if (Array.isArray(value) && value.length < (rule as number)) say(`has fewer than ${rule}`)
        break
      case 'maxItems':
        if (Array.isArray(value) && value.length > (rule as number)) say(`has more than ${rule}`)
        break
      case 'prefixItems':
        for (const [index, one] of (rule as Json[]).entries())
          if (Array.isArray(value)) wrong.push(...mismatches(one, value[index], `${at}[${index}]`))
        break
      case 'items':
        if (Array.isArray(value) && isObject(rule) && schema.prefixItems === undefined)
          for (const [index, one] of value.entries()) wrong.push(...mismatches(rule, one, `${at}[${index}]`))
        break
      default:
        say(`the schema uses ${word}, which is not supported here`)
    }
  }
  return wrong
}

const isObject = (value: unknown): value is Json => value !== null && typeof value === 'object' && !Array.isArray(value)

function isType(type: string, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  if (type === 'object') return isObject(value)
  if (type === 'integer') return Number.isInteger(value)
  // The other type names match those of typeof.
  const kind: string = typeof value
  return kind === type
}
