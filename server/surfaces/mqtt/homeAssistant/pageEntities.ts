import { shownUrl } from '../../../kiosk/contract.ts';
import { messageParams } from '../../../parts/messages/contract.ts';
import { type Entity, type EntityContext, Misfit, mustPress } from './entity.ts';
import type { PanelNow } from './panel.ts';

/** Longest state that Home Assistant takes, in characters. */
const STATE_LIMIT = 255;
/** What Home Assistant shows as unknown. */
const NONE = 'None';

/** What the kiosk page shows, and what a person writes above it. A panel without a page has its projects alone. */
export function pageEntities({ now, topics, word }: EntityContext): Entity[] {
  const project: Entity[] =
    now.projects.length === 0
      ? []
      : [
          {
            key: 'project',
            platform: 'select',
            name: word('project'),
            needs: 'projects.activate',
            config: {
              options: now.projects.map(({ name }) => name),
              state_topic: topics.state('projects'),
              value_template: `{{ value_json.projects | selectattr('active') | map(attribute='name') | first | default('${NONE}') }}`,
              entity_category: 'config',
              icon: 'mdi:package-variant-closed',
            },
            set: async (payload, call) => {
              const wanted = now.projects.find(({ name }) => name === payload);
              if (wanted === undefined) throw new Misfit('must be the name of an installed project');
              await call('projects.activate', { id: wanted.id });
            },
          },
        ];
  if (now.page === undefined) return project;
  return [...pageSelect(now, word('page')), ...project, ...onTheGlass({ now, topics, word })];
}

function pageSelect(now: PanelNow, name: string): Entity[] {
  if (now.pages.length === 0) return [];
  return [
    {
      key: 'page',
      platform: 'select',
      name,
      needs: 'page.show',
      config: {
        options: now.pages.map((page) => page.name),
        icon: 'mdi:page-next-outline',
      },
      state: pageShown(now),
      set: async (payload, call) => {
        if (!now.pages.some((page) => page.name === payload))
          throw new Misfit('must be the name of a page of kiosk.pages');
        await call('page.show', { page: payload });
      },
    },
  ];
}

/** The name of the page that is shown. */
function pageShown({ page, pages }: PanelNow): string {
  const shown = pages.find(({ url }) => page !== undefined && sameAddress(url, page.url));
  return shown?.name ?? NONE;
}

function sameAddress(one: string, other: string): boolean {
  if (one === other) return true;
  return URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href;
}

function onTheGlass({ topics, word }: EntityContext): Entity[] {
  return [
    {
      key: 'url',
      platform: 'text',
      name: word('url'),
      needs: 'page.show',
      config: {
        max: STATE_LIMIT,
        state_topic: topics.state('page'),
        value_template: `{{ value_json.url[:${STATE_LIMIT}] }}`,
        entity_category: 'config',
        icon: 'mdi:link-variant',
      },
      set: async (payload, call) => {
        const url = shownUrl.safeParse(payload);
        if (!url.success) throw new Misfit('must be an http or https address');
        await call('page.show', { url: url.data });
      },
    },
    {
      key: 'message',
      platform: 'notify',
      name: word('message'),
      needs: 'message.show',
      config: { icon: 'mdi:message-text' },
      set: async (payload, call) => {
        const message = messageParams.safeParse({ text: payload });
        if (!message.success) throw new Misfit('must be a text of 1 to 2,000 characters');
        await call('message.show', message.data);
      },
    },
    {
      key: 'reload',
      platform: 'button',
      name: word('reload'),
      needs: 'kiosk.reload',
      config: { icon: 'mdi:refresh' },
      set: async (payload, call) => {
        mustPress(payload);
        await call('kiosk.reload', {});
      },
    },
    {
      key: 'home',
      platform: 'button',
      name: word('home'),
      needs: 'page.home',
      config: { icon: 'mdi:home' },
      set: async (payload, call) => {
        mustPress(payload);
        await call('page.home', {});
      },
    },
    {
      key: 'screenshot',
      platform: 'image',
      name: word('screenshot'),
      needs: 'kiosk.screenshot',
      config: {
        image_topic: topics.own('screenshot'),
        content_type: 'image/jpeg',
        icon: 'mdi:monitor-screenshot',
      },
    },
    {
      key: 'title',
      platform: 'sensor',
      name: word('title'),
      config: {
        state_topic: topics.state('page'),
        value_template: `{{ value_json.title[:${STATE_LIMIT}] or '${NONE}' }}`,
        icon: 'mdi:format-title',
      },
    },
  ];
}
