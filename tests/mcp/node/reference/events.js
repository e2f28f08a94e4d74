// The events of one session's streams, kept so that a client can ask again for those it missed.

export class EventLog {
  #events = [];

  async storeEvent(streamId, message) {
    this.#events.push({ streamId, message });
    return String(this.#events.length);
  }

  async getStreamIdForEventId(id) {
    return this.#events[Number(id) - 1]?.streamId;
  }

  async replayEventsAfter(lastId, { send }) {
    const streamId = await this.getStreamIdForEventId(lastId);
    for (let at = Number(lastId); at < this.#events.length; at += 1) {
      const event = this.#events[at];
      // An event without a message only tells the client an id to begin from.
      if (event.streamId === streamId && event.message.jsonrpc) await send(String(at + 1), event.message);
    }
    return streamId;
  }
}
