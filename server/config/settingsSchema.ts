import { z } from 'zod';
import { OUTSIDE_ONLY, type SettingKey, settingDeclarations } from './settings.ts';

type Json = Record<string, unknown>;

/**
 * JSON Schema of a change of settings, nested as settings.json is; null restores the default. Mistakes that no schema
 * can express (a door named twice) are found when the change is made.
 */
export function settingsSchema(): Json {
  const single: Json = {};
  const groups: Record<string, Json> = {};
  for (const key of Object.keys(settingDeclarations) as SettingKey[]) {
    if (OUTSIDE_ONLY.includes(key)) continue;
    const { schema, description } = settingDeclarations[key];
    const { $schema: _dialect, ...value } = z.toJSONSchema(schema, { io: 'input' });
    const change = { description, anyOf: [value, { type: 'null' }] };
    const [group = '', ...rest] = key.split('.');
    if (rest.length === 0) single[key] = change;
    else groups[group] = { ...groups[group], [rest.join('.')]: change };
  }
  return object({
    ...single,
    ...Object.fromEntries(Object.entries(groups).map(([group, settings]) => [group, object(settings)])),
  });
}

function object(properties: Json): Json {
  return { type: 'object', properties, additionalProperties: false };
}
