package io.quorate.spring.boot.session;

import java.time.Duration;

import io.quorate.client.Codec;
import org.springframework.session.SaveMode;
import org.springframework.session.SessionIdGenerator;

/**
 * The rules of an application for its sessions.
 *
 * @param prefix the beginning of their keys
 * @param codec the bytes of their attributes
 * @param saveMode the attributes that a request saves
 * @param ids the identifiers of new ones
 * @param interval the longest time between two requests of new ones; negative: for ever
 */
public record SessionRules(String prefix, Codec<Object> codec, SaveMode saveMode, SessionIdGenerator ids,
		Duration interval) {
}
