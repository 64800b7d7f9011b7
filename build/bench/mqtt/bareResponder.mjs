// A responder on a broker with nothing behind it: the least that an answer over MQTT can cost.
import { connect } from 'mqtt';

const [url, topic] = process.argv.slice(2);
const client = connect(url, { protocolVersion: 5 });
client.on('message', (_topic, payload, { properties }) => {
  const answer = JSON.stringify({ status: 'ok', state: JSON.parse(payload.toString()) });
  client.publish(properties.responseTopic, answer, {
    qos: 1,
    properties: { correlationData: properties.correlationData },
  });
});
// Small messages wait for nothing (Nagle's algorithm would add 40 ms).
client.on('connect', () => client.stream.setNoDelay(true));
client.on('connect', () => client.subscribe(topic, { qos: 1 }, () => process.send('ready')));
process.on('disconnect', () => process.exit());
