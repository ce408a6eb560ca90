@file:JvmName("Carts")

package shop.cart

import kotlin.math.max
import shop.tax.*

/** The limit. */
const val MAX = 100
private var count = 0

/**
 * What a customer wants.
 */
@Serializable
data class Cart<T : Item>(
    val owner: String,
    private var items: List<T> = emptyList(),
    size: Int,
) : Base(), Comparable<Cart<T>> {
    /** The sum. */
    override fun compareTo(other: Cart<T>): Int {
        // inside
        val local = 1
        fun helper(x: Int) = x + 1
        return helper(local)
    }

    val total: Double
        get() = 1.0

    internal lateinit var tax: Tax

    constructor(size: Int) : this("", size)

    companion object {
        const val DEFAULT = "x"
        fun build() = Cart("")
    }

    inner class Line

    init {
        val ignored = 1
    }
}

enum class Color(val hex: String) {
    RED("f00"),
    GREEN("0f0") {
        override fun next() = RED
    };

    abstract fun next(): Color
}

sealed interface Draw {
    fun draw()
}

object Registry : Draw {
    override fun draw() {}
}

fun interface Check { fun ok(): Boolean }

fun <T> List<T>.second(): T = this[1]
suspend inline fun run(block: () -> Unit) {
    block()
}

typealias Handler = (String) -> Unit
