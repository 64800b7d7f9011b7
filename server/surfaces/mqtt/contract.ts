import { z } from 'zod';

/** The id of a panel and the name of a group on the broker: one level of a topic, without wildcards. */
export const brokerName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -');

/** The id of a panel on the broker; `group` is the level of the groups. */
export const panelBrokerId = brokerName.refine((id) => id !== 'group', 'must not be group');

/** The connection to the broker, as `info` tells it. */
export const mqttFacts = z.strictObject({
  state: z.enum(['off', 'connecting', 'connected']),
  reason: z.string().nullable().describe('what is wrong, in words; null: nothing'),
  id: panelBrokerId.describe('the name of this panel on the broker'),
  groups: z.array(brokerName),
  entities: z
    .int()
    .min(0)
    .nullable()
    .describe('how many entities Home Assistant was told of; null: it is told of none'),
});
export type MqttFacts = z.infer<typeof mqttFacts>;

/** What is stored of the topics that a broker keeps for this panel. */
export const retainedTopics = z.strictObject({
  /** The broker that keeps them. */
  url: z.string(),
  topics: z.array(z.string().max(1_024)).max(2_000),
});
export type RetainedRecord = z.infer<typeof retainedTopics>;
