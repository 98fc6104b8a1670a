package io.quorate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;

/**
 * The circles of top-level types within one package: strongly connected components of
 * their uses (Tarjan). Nested types count as their outermost one.
 */
final class TypeCircles {

	private final Map<String, Set<String>> uses = new HashMap<>();

	private final Map<String, Integer> index = new HashMap<>();

	private final Map<String, Integer> lowest = new HashMap<>();

	private final Deque<String> stack = new ArrayDeque<>();

	private final Set<String> onStack = new HashSet<>();

	private final List<Set<String>> circles = new ArrayList<>();

	private TypeCircles(JavaClasses classes) {
		for (JavaClass type : classes) {
			for (Dependency use : type.getDirectDependenciesFromSelf()) {
				String from = outermost(type);
				String to = outermost(use.getTargetClass());
				if (!from.equals(to) && type.getPackageName().equals(use.getTargetClass().getPackageName())) {
					this.uses.computeIfAbsent(from, (_) -> new TreeSet<>()).add(to);
				}
			}
		}
	}

	/** The simple names of the types of each circle of two or more. */
	static List<Set<String>> of(JavaClasses classes) {
		TypeCircles search = new TypeCircles(classes);
		new TreeSet<>(search.uses.keySet()).forEach((type) -> {
			if (!search.index.containsKey(type)) {
				search.visit(type);
			}
		});
		return search.circles;
	}

	private static String outermost(JavaClass type) {
		String name = type.getName();
		int nested = name.indexOf('$');
		return (nested < 0) ? name : name.substring(0, nested);
	}

	private void visit(String type) {
		int number = this.index.size();
		this.index.put(type, number);
		this.lowest.put(type, number);
		this.stack.push(type);
		this.onStack.add(type);
		for (String used : this.uses.getOrDefault(type, Set.of())) {
			if (!this.index.containsKey(used)) {
				visit(used);
				this.lowest.merge(type, this.lowest.getOrDefault(used, number), Math::min);
			}
			else if (this.onStack.contains(used)) {
				this.lowest.merge(type, this.index.getOrDefault(used, number), Math::min);
			}
		}
		if (number == this.lowest.getOrDefault(type, -1)) {
			close(type);
		}
	}

	private void close(String type) {
		Set<String> circle = new TreeSet<>();
		String member;
		do {
			member = this.stack.pop();
			this.onStack.remove(member);
			circle.add(member.substring(member.lastIndexOf('.') + 1));
		}
		while (!member.equals(type));
		if (circle.size() > 1) {
			this.circles.add(circle);
		}
	}

}
