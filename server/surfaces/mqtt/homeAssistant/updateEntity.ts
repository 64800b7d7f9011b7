import { type Entity, type EntityContext, Misfit } from './entity.ts';

/** What Home Assistant reads, made from `state/update`; it takes no summary over 255 characters. */
const TEMPLATE = [
  "{{ {'installed_version': value_json.installed",
  "'latest_version': value_json.available.version if value_json.available else value_json.installed",
  "'title': 'Faceplate'",
  "'release_summary': (value_json.available.notes or '')[:255] if value_json.available else ''",
  "'in_progress': value_json.state != 'idle'",
  "'update_percentage': value_json.progress} | to_json }}",
].join(', ');

/** The version of the panel, and the one that its channel offers. @param mayInstall whether callers may install it */
export function updateEntity({ now, topics, word }: EntityContext, mayInstall: boolean): Entity[] {
  if (!now.hasUpdates) return [];
  return [
    {
      key: 'update',
      platform: 'update',
      name: word('update'),
      config: {
        device_class: 'firmware',
        entity_category: 'config',
        state_topic: topics.state('update'),
        value_template: TEMPLATE,
        ...(mayInstall && { payload_install: 'INSTALL' }),
      },
      ...(mayInstall && {
        set: async (payload, call) => {
          if (payload !== 'INSTALL') throw new Misfit('must be INSTALL');
          await call('update.fetch', { older: false, restart: true });
        },
      }),
    },
  ];
}
