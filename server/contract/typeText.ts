/** The subset of JSON Schema that the contract uses. */
export interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  prefixItems?: Schema[];
  additionalProperties?: boolean | Schema;
  description?: string;
  /** The type itself, when JSON Schema cannot express it. */
  typeText?: string;
}

/** TypeScript text of the JSON Schema subset that the contract uses. */
export function typeText(schema: Schema, indent: string): string {
  if (schema.typeText !== undefined) return schema.typeText;
  const choices = schema.anyOf ?? schema.oneOf;
  // Choices that only say which fields are needed have no types of their own.
  const isTyped = choices?.some((choice) => Object.keys(choice).some((key) => key !== 'required'));
  if (choices && isTyped) return choices.map((choice) => typeText(choice, indent)).join(' | ');
  if (schema.const !== undefined) return literal(schema.const);
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => typeText({ ...schema, type }, indent)).join(' | ');
  }
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'array': {
      if (schema.prefixItems)
        return `[${schema.prefixItems.map((each) => typeText(each, indent)).join(', ')}]`;
      const item = typeText(schema.items ?? {}, indent);
      return /[|{ ]/.test(item) ? `Array<${item}>` : `${item}[]`;
    }
    case 'object':
      return objectText(schema, indent);
    default:
      return 'unknown';
  }
}

function objectText(schema: Schema, indent: string): string {
  const { properties, additionalProperties } = schema;
  if (!properties) {
    const value =
      typeof additionalProperties === 'object' ? typeText(additionalProperties, indent) : 'unknown';
    return `Record<string, ${value}>`;
  }
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const doc = field.description ? `${inner}/** ${field.description} */\n` : '';
    return `${doc}${inner}${key(name)}${schema.required?.includes(name) ? '' : '?'}: ${typeText(field, inner)};`;
  });
  return fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('\n')}\n${indent}}`;
}

function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : literal(name);
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replace(/[\\']/g, '\\$&')}'` : String(value);
}
