import type { BrokerNames } from './link.ts';

/** Longest topic, in bytes (MQTT 5 section 1.5.4). */
const MOST_BYTES = 65_535;

/**
 * Where the answer to a command may go. A caller must not make the panel say something at a place where others take it
 * for a command or a state: the panel may be allowed there while the caller is not.
 * @returns undefined: nowhere
 */
export function answerTopic(
  { prefix, id, discovery }: BrokerNames,
  command: string,
  responseTopic: string | undefined,
): string | undefined {
  if (responseTopic === undefined) return `${prefix}/${id}/result/${command}`;
  if (responseTopic === '' || /[+#\0]/.test(responseTopic) || responseTopic.startsWith('$')) return undefined;
  if (Buffer.byteLength(responseTopic) > MOST_BYTES) return undefined;
  if (discovery !== '' && isBelow(responseTopic, discovery)) return undefined;
  const isReply = responseTopic.split('/').slice(prefix.split('/').length).includes('reply');
  return isBelow(responseTopic, prefix) && !isReply ? undefined : responseTopic;
}

function isBelow(topic: string, prefix: string): boolean {
  return topic === prefix || topic.startsWith(`${prefix}/`);
}
